//! From the text of a composition to its tree, in one pass: there may be a million laws. Names stay places in the text.

use probity_exact::{Rational, parse_rational};

use super::runs::{pures, quotient, small};
use super::{Fault, known_laws};

/// A place in the text: bytes from and to.
pub(super) type Span = (usize, usize);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Number(Rational),
    /// Its place is that of the tree.
    Name,
    /// A text in quotes; its place is that of the tree, quotes included.
    Text,
    Call {
        name: Span,
        arguments: Vec<Argument>,
    },
    /// `pure(number)` for each of these, added up.
    Pures(Vec<Rational>),
    Sum(Vec<(bool, Tree)>),
    Product(Vec<(bool, Tree)>),
    Negative(Box<Tree>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    pub node: Node,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    pub name: Option<Span>,
    pub value: Tree,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(Rational),
    Name,
    Text,
    Sign(char),
    End,
}

/// Parentheses and calls may be nested this deep, so that recursion is safe.
const DEEPEST: usize = 60;

/// Reads a whole text.
pub(super) fn read(text: &str) -> Result<Tree, Fault> {
    let mut reader = Reader { text, token: Token::End, span: (0, 0), last: 0, depth: 0 };
    reader.take()?;
    let tree = reader.sum()?;
    if reader.token != Token::End {
        let described = reader.described();
        return Err(Fault::new(format!("the expression should end before {described}"), reader.span));
    }
    Ok(tree)
}

/// The next token, with its place, and where the one before it ended.
#[derive(Clone)]
struct Reader<'a> {
    text: &'a str,
    token: Token,
    span: Span,
    last: usize,
    depth: usize,
}

/// Where a run of characters ends.
fn run(text: &str, from: usize, keep: fn(char) -> bool) -> usize {
    from + text[from..].chars().take_while(|c| keep(*c)).map(char::len_utf8).sum::<usize>()
}

impl Reader<'_> {
    /// The token, and the reader goes on to the next.
    fn take(&mut self) -> Result<Token, Fault> {
        self.last = self.span.1;
        let (next, span) = self.next()?;
        self.span = span;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn next(&self) -> Result<(Token, Span), Fault> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let mut at = self.span.1;
        while matches!(bytes.get(at), Some(b' ' | b'\n')) {
            at += 1;
        }
        at = if bytes.get(at).is_none_or(u8::is_ascii_graphic) {
            at
        } else {
            run(text, at, char::is_whitespace)
        };
        let start = at;
        let Some(c) = text[at..].chars().next() else { return Ok((Token::End, (at, at))) };
        let token = match c {
            '0'..='9' | '.' => match small(bytes, at) {
                Some((number, end)) => {
                    at = end;
                    Token::Number(number)
                }
                None => {
                    at = run(text, at, |c| c.is_ascii_digit() || c == '.' || c == '_');
                    // An exponent, with its sign.
                    if bytes.get(at).is_some_and(|byte| byte | 32 == b'e') {
                        let signed = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
                        if bytes.get(signed).is_some_and(u8::is_ascii_digit) {
                            at = run(text, signed, |c| c.is_ascii_digit());
                        }
                    }
                    let number = parse_rational(&text[start..at]);
                    Token::Number(number.map_err(|error| Fault::new(error.to_string(), (start, at)))?)
                }
            },
            '+' | '-' | '*' | '/' | '(' | ')' | ',' | '=' => {
                at += 1;
                Token::Sign(c)
            }
            '"' => {
                let Some(end) = text[at + 1..].find('"') else {
                    return Err(Fault::new("a text in quotes has no end", (start, text.len())));
                };
                at += end + 2;
                Token::Text
            }
            c if c.is_alphabetic() || c == '_' => {
                at = run(text, at, |c| c.is_alphanumeric() || c == '_');
                Token::Name
            }
            c => {
                let place = (start, start + c.len_utf8());
                let hint = match c {
                    '^' => "powers of ten are written 1e12",
                    _ => "an expression is like poisson(1/100, gaussian(1)) * 1000 + pure(1/2)",
                };
                return Err(Fault::new(format!("'{c}' has no meaning here"), place).hint(hint));
            }
        };
        Ok((token, (start, at)))
    }

    fn sign(&mut self, c: char) -> Result<bool, Fault> {
        let here = self.token == Token::Sign(c);
        if here {
            self.take()?;
        }
        Ok(here)
    }

    fn expect(&mut self, c: char) -> Result<(), Fault> {
        match self.sign(c)? {
            true => Ok(()),
            false => Err(Fault::new(format!("a '{c}' is missing before {}", self.described()), self.span)),
        }
    }

    fn described(&self) -> String {
        match self.token {
            Token::Number(_) => "this number".into(),
            Token::Name => format!("'{}'", &self.text[self.span.0..self.span.1]),
            Token::Text => "this text".into(),
            Token::Sign(c) => format!("'{c}'"),
            Token::End => "the end".into(),
        }
    }

    fn sum(&mut self) -> Result<Tree, Fault> {
        let start = self.span.0;
        let mut operands = Vec::new();
        let mut negative = false;
        loop {
            if !negative {
                operands.extend(self.run()?.map(|run| (false, run)));
            }
            operands.push((negative, self.product()?));
            let Token::Sign(sign @ ('+' | '-')) = self.token else { break };
            negative = sign == '-';
            self.take()?;
        }
        Ok(match operands.len() {
            1 => operands.swap_remove(0).1,
            _ => Tree { node: Node::Sum(operands), span: (start, self.last) },
        })
    }

    /// Terms `pure(number) +`, if one stands here; the reader goes on behind the last '+'.
    fn run(&mut self) -> Result<Option<Tree>, Fault> {
        let start = self.span.0;
        let (losses, end) = match self.token {
            Token::Name => pures(self.text.as_bytes(), start),
            _ => return Ok(None),
        };
        if losses.is_empty() {
            return Ok(None);
        }
        self.span = (end, end);
        self.take()?;
        Ok(Some(Tree { node: Node::Pures(losses), span: (start, end) }))
    }

    fn product(&mut self) -> Result<Tree, Fault> {
        let start = self.span.0;
        let mut first = self.factor()?;
        let mut operands = Vec::new();
        while let Token::Sign(sign @ ('*' | '/')) = self.token {
            self.take()?;
            let next = self.factor()?;
            // A fraction is one number.
            if sign == '/'
                && operands.is_empty()
                && let (Node::Number(n), Node::Number(d)) = (&first.node, &next.node)
                && !d.is_zero()
            {
                first = Tree { node: Node::Number(quotient(n, d)), span: (start, self.last) };
                continue;
            }
            operands.push((sign == '/', next));
        }
        if operands.is_empty() {
            return Ok(first);
        }
        operands.insert(0, (false, first));
        Ok(Tree { node: Node::Product(operands), span: (start, self.last) })
    }

    fn factor(&mut self) -> Result<Tree, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::new("this is nested too deeply", self.span));
        }
        let result = self.factor_inside();
        self.depth -= 1;
        result
    }

    fn factor_inside(&mut self) -> Result<Tree, Fault> {
        let span = self.span;
        if let Token::Sign(_) | Token::End = self.token
            && !matches!(self.token, Token::Sign('-' | '('))
        {
            let message = format!("a law or a number is missing before {}", self.described());
            return Err(Fault::new(message, span).hint(known_laws()));
        }
        Ok(match self.take()? {
            Token::Number(number) => Tree { node: Node::Number(number), span },
            Token::Text => Tree { node: Node::Text, span },
            Token::Sign('-') => {
                let inner = self.factor()?;
                let end = inner.span.1;
                Tree { node: Node::Negative(Box::new(inner)), span: (span.0, end) }
            }
            Token::Sign(_) | Token::End => {
                let inner = self.sum()?;
                self.expect(')')?;
                inner
            }
            Token::Name => {
                if !self.sign('(')? {
                    return Ok(Tree { node: Node::Name, span });
                }
                let mut arguments = Vec::with_capacity(1);
                if !self.sign(')')? {
                    loop {
                        arguments.push(self.argument()?);
                        if !self.sign(',')? {
                            break;
                        }
                    }
                    self.expect(')')?;
                }
                Tree { node: Node::Call { name: span, arguments }, span: (span.0, self.last) }
            }
        })
    }

    fn argument(&mut self) -> Result<Argument, Fault> {
        let mut name = None;
        if self.token == Token::Name {
            let before = self.clone();
            self.take()?;
            if self.sign('=')? {
                name = Some(before.span);
            } else {
                *self = before;
            }
        }
        Ok(Argument { name, value: self.sum()? })
    }
}
