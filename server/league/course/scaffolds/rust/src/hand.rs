//! A hand as you may see it, and the rules that it is played by.  You need not change this file.
#![allow(dead_code)] // what your bot does not look at

/// What to do.
pub enum Action {
    Fold,
    /// Or check.
    Call,
    /// Or bet: your total over the whole hand; in limit games the size is not looked at.
    Raise(i64),
}

/// What a game file says.
#[derive(Clone)]
pub struct Game {
    pub is_limit: bool,
    pub players: usize,
    pub rounds: usize,
    pub blinds: Vec<i64>,
    /// By position; antes are taken off.
    pub stacks: Vec<i64>,
    raise_sizes: Vec<i64>,
    first: Vec<usize>,
    most_raises: Vec<i64>,
}

impl Game {
    /// The game of a game file's lines; None where they do not tell.
    pub fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Game> {
        let mut is_limit = true;
        let mut fields = std::collections::HashMap::new();
        for line in lines {
            let line = line.trim().to_ascii_lowercase();
            match line.as_str() {
                "limit" => is_limit = true,
                "nolimit" => is_limit = false,
                _ => {
                    if let Some((name, rest)) = line.split_once('=') {
                        let numbers: Vec<i64> =
                            rest.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                        fields.insert(name.trim().to_string(), numbers);
                    }
                }
            }
        }
        let players = *fields.get("numplayers")?.first()? as usize;
        let rounds = *fields.get("numrounds")?.first()? as usize;
        let mut take = |name: &str, otherwise: Vec<i64>| fields.remove(name).unwrap_or(otherwise);
        let antes = take("ante", vec![0]);
        let mut stacks = take("stack", vec![i64::from(i32::MAX); players]);
        for (position, stack) in stacks.iter_mut().enumerate() {
            *stack -= if antes.len() == 1 { antes[0] } else { antes[position] };
        }
        let blind = take("blind", vec![]);
        Some(Game {
            is_limit,
            players,
            rounds,
            blinds: take("blinds", blind),
            stacks,
            raise_sizes: take("raisesize", vec![0; rounds]),
            first: take("firstplayer", vec![1; rounds]).iter().map(|&each| each as usize - 1).collect(),
            most_raises: take("maxraises", vec![255; rounds]),
        })
    }

    fn big_blind(&self) -> i64 {
        self.blinds.iter().copied().max().unwrap_or(0)
    }
}

/// Positions count from 0; chips are those of the whole hand, blinds included.
pub struct Hand {
    pub game: Game,
    /// Yours.
    pub position: usize,
    pub hand_number: u32,
    /// Yours, such as "AhKd".
    pub cards: String,
    /// Those on the board, such as "2c7d9h".
    pub board: String,
    /// By position.
    pub spent: Vec<i64>,
    pub folded: Vec<bool>,
    /// 0 before the flop, 3 on the river.
    pub round: usize,
    pub pot: i64,
    pub to_call: i64,
    /// What is legal; to call always is.
    pub can_fold: bool,
    pub can_raise: bool,
    /// Totals, as in "raise to"; only in no-limit games.
    pub least_raise: i64,
    pub most_raise: i64,
    most: i64,
    least: i64,
    raises: i64,
    actions: usize,
    responded: Vec<bool>,
    /// None when the hand is over.
    to_act: Option<usize>,
}

impl Hand {
    /// The hand that a MATCHSTATE line shows; None where the line is none.
    pub fn read(game: &Game, line: &str) -> Option<Hand> {
        let mut parts = line.strip_prefix("MATCHSTATE:")?.splitn(4, ':');
        let position: usize = parts.next()?.parse().ok()?;
        let hand_number = parts.next()?.parse().ok()?;
        let betting = parts.next()?;
        let (holes, board) = match parts.next()?.split_once('/') {
            Some((holes, board)) => (holes, board.replace('/', "")),
            None => (line.rsplit(':').next()?, String::new()),
        };
        let most = game.big_blind();
        let mut hand = Hand {
            position,
            hand_number,
            cards: holes.split('|').nth(position)?.to_string(),
            board,
            spent: game.blinds[..game.players].to_vec(),
            folded: vec![false; game.players],
            round: 0,
            pot: 0,
            to_call: 0,
            can_fold: false,
            can_raise: false,
            least_raise: 0,
            most_raise: 0,
            most,
            least: if most > 0 { 2 * most } else { 1 },
            raises: 0,
            actions: 0,
            responded: vec![false; game.players],
            to_act: None,
            game: game.clone(),
        };
        hand.to_act = hand.next_to_act(game.first[0]);
        let actions: Vec<usize> = betting.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(i, _)| i).collect();
        for &at in &actions {
            let size: String = betting[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            hand.apply(&betting[at..=at], size.parse().unwrap_or(0));
        }
        hand.work_out_what_is_legal();
        Some(hand)
    }

    /// You are to act.
    pub fn is_your_turn(&self) -> bool {
        self.to_act == Some(self.position)
    }

    fn can_act(&self, position: usize) -> bool {
        !self.folded[position] && self.spent[position] < self.game.stacks[position]
    }

    fn next_to_act(&self, start: usize) -> Option<usize> {
        let players = self.game.players;
        (0..players).map(|k| (start + k) % players).find(|&each| self.can_act(each))
    }

    fn able(&self) -> Vec<usize> {
        (0..self.game.players).filter(|&each| self.can_act(each)).collect()
    }

    fn apply(&mut self, letter: &str, size: i64) {
        let Some(p) = self.to_act else { return };
        let stack = self.game.stacks[p];
        self.actions += 1;
        match letter {
            "f" => self.folded[p] = true,
            "c" => self.spent[p] = stack.min(self.most),
            _ => {
                let size = if self.game.is_limit {
                    stack.min(self.most + self.game.raise_sizes[self.round])
                } else {
                    self.least = self.least.max(2 * size - self.most);
                    size
                };
                self.most = size;
                self.spent[p] = size;
                self.raises += 1;
                self.responded.fill(false);
            }
        }
        self.responded[p] = true;
        let able = self.able();
        let is_waiting = able.iter().any(|&each| !self.responded[each]);
        let live = self.folded.iter().filter(|&&folded| !folded).count();
        if live == 1 || (!is_waiting && (able.len() < 2 || self.round == self.game.rounds - 1)) {
            self.to_act = None;
        } else if is_waiting {
            self.to_act = self.next_to_act(p + 1);
        } else {
            self.round += 1;
            self.raises = 0;
            self.actions = 0;
            self.responded.fill(false);
            self.least = self.most + self.game.big_blind().max(1);
            self.to_act = self.next_to_act(self.game.first[self.round]);
        }
    }

    fn work_out_what_is_legal(&mut self) {
        let Some(p) = self.to_act else { return };
        let stack = self.game.stacks[p];
        self.pot = self.spent.iter().sum();
        self.to_call = stack.min(self.most) - self.spent[p];
        self.can_fold = self.spent[p] < self.most;
        self.can_raise = self.able().len() > 1
            && self.raises < self.game.most_raises[self.round]
            && self.actions + self.game.players <= 64
            && (self.game.is_limit || stack > self.most);
        self.least_raise = self.least.min(stack);
        self.most_raise = stack;
    }
}
