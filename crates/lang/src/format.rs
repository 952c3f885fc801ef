//! The formatter: canonical spacing, indentation and blank lines. It moves no token to another line and drops
//! no comment, so the formatted text means what the text meant.
//!
//! ```
//! let text = "mechanism m(x:real)\n\n\nz~laplace( 1 )\nreturn x+z // out\nneighbours abs(x'-x)<=1\nclaim 1\n";
//! let formatted = probity_lang::format(text).unwrap();
//! assert!(formatted.contains("z ~ laplace(1)\nreturn x + z  // out\n"));
//! assert_eq!(probity_lang::format(&formatted).unwrap(), formatted);
//! ```

use crate::diagnostic::{Diagnostic, Sink};
use crate::lexer::{Keyword, Mark, Token, TokenKind, tokenize};
use crate::parser::{MAX_DEPTH, parse};

/// Columns per level of indentation: per open block, and per open bracket for a line that continues another.
const INDENT: usize = 2;

/// The words after which an expression stands in `neighbours` lines and proofs.
const PHRASE_WORDS: [&str; 6] = ["by", "cost", "most", "above", "from", "tail"];
/// The measures after which a claim goes on.
const MEASURES: [&str; 2] = ["mu", "rho"];

/// Formats a text whose syntax is right; otherwise returns its faults. Names and types are not checked.
pub fn format(source: &str) -> Result<String, Vec<Diagnostic>> {
    if let Some(fault) = crate::too_large(source) {
        return Err(vec![fault]);
    }
    let mut sink = Sink::default();
    parse(source, &mut sink);
    if !sink.is_clean() {
        return Err(sink.finish());
    }
    let tokens = tokenize(source);
    let mut writer = Writer::default();
    for line in tokens.split(|t| matches!(t.kind, TokenKind::Newline)) {
        writer.line(line, source);
    }
    Ok(writer.out)
}

#[derive(Default)]
struct Writer {
    out: String,
    braces: usize,
    brackets: usize,
    /// A blank line stood in the source after the last line written.
    blank: bool,
    /// The last line written opened a block.
    opened: bool,
}

impl Writer {
    fn line(&mut self, line: &[Token], source: &str) {
        use Mark::{CloseBrace, CloseBracket, CloseParen};
        let tokens: &[Token] = match line {
            [rest @ .., Token { kind: TokenKind::End, .. }] => rest,
            all => all,
        };
        let Some(first) = tokens.first() else {
            self.blank = true;
            return;
        };
        let closes = first.kind == TokenKind::Mark(Mark::CloseBrace);
        if self.blank && !self.out.is_empty() && !self.opened && !closes {
            self.out.push('\n');
        }
        self.blank = false;
        let is_close = |t: &&Token| matches!(t.kind, TokenKind::Mark(CloseBrace | CloseParen | CloseBracket));
        let closers = tokens.iter().take_while(is_close).count();
        // No line needs more; without a limit, a line per open bracket would make the text grow quadratically.
        let level = (self.braces + self.brackets).saturating_sub(closers).min(MAX_DEPTH);
        self.out.extend(std::iter::repeat_n(' ', level * INDENT));
        for (position, token) in tokens.iter().enumerate() {
            let before = position.checked_sub(1).map(|p| tokens[p]);
            let before_that = position.checked_sub(2).map(|p| tokens[p]);
            self.out.push_str(gap(before_that, before, *token, source));
            self.out.push_str(token.span.text(source).trim_end());
            self.count(token.kind);
        }
        self.opened = tokens.last().is_some_and(|t| t.kind == TokenKind::Mark(Mark::OpenBrace));
        self.out.push('\n');
    }

    fn count(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Mark(Mark::OpenBrace) => self.braces += 1,
            TokenKind::Mark(Mark::CloseBrace) => self.braces = self.braces.saturating_sub(1),
            TokenKind::Mark(Mark::OpenParen | Mark::OpenBracket) => self.brackets += 1,
            TokenKind::Mark(Mark::CloseParen | Mark::CloseBracket) => {
                self.brackets = self.brackets.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// The white space between two neighbouring tokens of a line.
fn gap(before_left: Option<Token>, left: Option<Token>, right: Token, source: &str) -> &'static str {
    use Mark::*;
    let Some(left) = left else { return "" };
    let (l, r) = (left.kind, right.kind);
    if r == TokenKind::Comment {
        return "  ";
    }
    let ends_value = ends_value(l);
    match (l, r) {
        (TokenKind::Mark(OpenParen | OpenBracket | Prime), TokenKind::Mark(CloseParen | CloseBracket)) => "",
        (TokenKind::Mark(OpenBrace), TokenKind::Mark(CloseBrace)) => "",
        (TokenKind::Mark(OpenParen | OpenBracket), _) => "",
        (_, TokenKind::Mark(CloseParen | CloseBracket | Comma | Colon | Prime)) => "",
        // `shift by (…) at cost (…)`: words of a phrase, not calls.
        (TokenKind::Name, TokenKind::Mark(OpenParen)) if PHRASE_WORDS.contains(&left.span.text(source)) => {
            " "
        }
        // `claim mu (b - a) / s`: the measure of a claim, not a call.
        (TokenKind::Name, TokenKind::Mark(OpenParen))
            if before_left.is_some_and(|t| t.kind == TokenKind::Keyword(Keyword::Claim))
                && MEASURES.contains(&left.span.text(source)) =>
        {
            " "
        }
        // A field: `r.age`. A dot beside anything else stays apart, or it would become part of a number or a range.
        (TokenKind::Name | TokenKind::Mark(CloseParen | CloseBracket), TokenKind::Mark(Dot)) => "",
        (TokenKind::Mark(Dot), TokenKind::Name | TokenKind::Keyword(_)) => "",
        (_, TokenKind::Mark(Dot)) | (TokenKind::Mark(Dot), _) => " ",
        // A call or an index.
        (TokenKind::Name | TokenKind::Keyword(Keyword::Append), TokenKind::Mark(OpenParen)) => "",
        (_, TokenKind::Mark(OpenBracket)) if ends_value => "",
        // `0..N`, unless a dot of a number would run into it.
        (_, TokenKind::Mark(Range)) if !left.span.text(source).ends_with('.') => "",
        (TokenKind::Mark(Range), _) if !right.span.text(source).starts_with('.') => "",
        // A sign, not a difference.
        (TokenKind::Mark(Minus), _) if !before_left.is_some_and(|t| self::ends_value(t.kind)) => "",
        _ => " ",
    }
}

/// Whether a value can end with this token, so that a `-` after it subtracts and a `[` after it is an index.
fn ends_value(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Number
            | TokenKind::Keyword(Keyword::True | Keyword::False)
            | TokenKind::Mark(Mark::CloseParen | Mark::CloseBracket | Mark::Prime)
    )
}
