// Short sounds, made here; off until they are wished for.

const TONES = {deal: [320, 0.06], check: [180, 0.08], bet: [420, 0.1], turn: [660, 0.25]};
let audio = null;

export function play(name) {
  const wish = document.getElementById("sound");
  if (!wish || wish.getAttribute("aria-pressed") !== "true") return;
  audio = audio || new AudioContext();
  const [pitch, seconds] = TONES[name];
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.setValueAtTime(0.1, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + seconds);
  tone.frequency.value = pitch;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + seconds);
}
