//! A seat at a table: connects, reads, asks what to do.  You need not change this file.
//!
//! The protocol is that of the Annual Computer Poker Competition: the table sends MATCHSTATE lines, and whoever is
//! to act sends the line back with ':' and an action behind it.
use crate::hand::{Action, Game, Hand};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

/// Numbers by chance, the same for the same seed (SplitMix64).
pub struct Draw(u64);

impl Draw {
    /// A number from 0 up to 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn fail(why: &str) -> ! {
    eprintln!("my_bot: {why}");
    std::process::exit(1);
}

/// Play a match: HOST and PORT stand on the command line.
pub fn play(decide: fn(&Hand, &mut Draw) -> Action) {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 3 {
        eprintln!("usage: my_bot HOST PORT");
        std::process::exit(2);
    }
    let seed = std::env::var("RIVERBOAT_SEED").ok().and_then(|text| text.parse().ok());
    let mut draw = Draw(seed.unwrap_or(u64::from(std::process::id())));
    let file = std::env::var("RIVERBOAT_GAME").ok().and_then(|path| std::fs::read_to_string(path).ok());
    let mut game = file.and_then(|text| Game::read(text.lines()));
    let stream = TcpStream::connect(format!("{}:{}", words[1], words[2]))
        .unwrap_or_else(|error| fail(&format!("cannot connect: {error}")));
    stream.set_nodelay(true).ok();
    let mut table = &stream;
    let mut say = |text: String| {
        if let Err(error) = table.write_all(text.as_bytes()) {
            fail(&format!("the table has gone: {error}"));
        }
    };
    say("VERSION:2.0.0\r\n#riverboat/1 game\r\n".to_string());
    for line in BufReader::new(&stream).lines() {
        let Ok(line) = line else { break };
        if let Some(text) = line.strip_prefix("#game ") {
            game = Game::read(text.split(';'));
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let Some(game) = &game else { fail("nobody says what is played: set RIVERBOAT_GAME to a game file") };
        let Some(hand) = Hand::read(game, &line) else { fail(&format!("not a line of this protocol: {line}")) };
        if hand.is_your_turn() {
            let action = match decide(&hand, &mut draw) {
                Action::Fold => "f".to_string(),
                Action::Call => "c".to_string(),
                Action::Raise(_) if game.is_limit => "r".to_string(),
                Action::Raise(total) => format!("r{total}"),
            };
            say(format!("{line}:{action}\r\n")); // one write
        }
    }
}
