//! Certificates: files from which anyone can replay a proof.
//!
//! A certificate is a text of one entry a line: the format, the hash of what it is about, the mechanism, the
//! claim, the plan, and the evidence for each side condition in the order in which a replay meets it. A claim about a
//! floating-point format needs no plan: the threshold theorem stands in its place, with what it supposes of the machine. Nothing in
//! it is believed: [`check`] replays the proof with the kernel's rules and answers with the theorem that the
//! kernel makes, which quotes the mechanism and the claim itself.
//!
//! ```
//! let fault = probity_prove::certificate::check("no certificate").unwrap_err();
//! assert_eq!(fault.to_string(), "line 1: this is no certificate: the first line of one is 'probity-certificate 1'");
//! ```

mod code;
mod proved;
mod share;
mod text;

use std::fmt;

use probity_kernel::entail::Evidence;
use probity_kernel::float::{self, FloatTheorem, Implementation, threshold};
use probity_kernel::term::{Claim, Mechanism, Reading};
use sha2::{Digest, Sha256};

use share::Shared;

pub use proved::Proved;
pub use text::{Code, ReadError, Text};

use crate::derivation::{Failure, Plan, Recorded, replay};
use crate::proof::Proof;

const FORMAT: &str = "probity-certificate 1";

/// What the first line is in every version, but for its number.
const ANY_VERSION: &str = "probity-certificate ";

/// Why a certificate is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A line cannot be read.
    Unreadable {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        error: ReadError,
    },
    /// The first line is not that of a certificate.
    NoCertificate,
    /// It is a certificate of a version that is not read here.
    AnotherVersion {
        /// The version.
        found: String,
    },
    /// The hash is not that of the mechanism and the claim.
    WrongHash {
        /// What the certificate says.
        stated: String,
        /// What it should say.
        actual: String,
    },
    /// The certificate is about another mechanism, or claims something else of it.
    AnotherClaim {
        /// What was to be checked.
        wanted: String,
        /// What the certificate is about.
        found: String,
    },
    /// The certificate is about the right claim on a machine other than the one that a claim means.
    AnotherMachine {
        /// The machine.
        found: Implementation,
    },
    /// The threshold theorem does not prove the claim.
    Threshold(float::Rejection),
    /// A step of the derivation does not hold.
    Step {
        /// How many side conditions were met before it.
        after: usize,
        /// The step and what is wrong with it.
        failure: Box<Failure>,
    },
    /// There is more evidence than the derivation uses.
    EvidenceLeft {
        /// How many pieces.
        pieces: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unreadable { line, error } => write!(f, "line {line}: {error}"),
            Fault::NoCertificate => {
                write!(f, "line 1: this is no certificate: the first line of one is '{FORMAT}'")
            }
            Fault::AnotherVersion { found } => {
                write!(
                    f,
                    "line 1: this is a certificate of version {found}, and what is read here is '{FORMAT}'"
                )
            }
            Fault::WrongHash { stated, actual } => {
                write!(f, "the hash is {stated}, but that of the mechanism and claim is {actual}")
            }
            Fault::AnotherClaim { wanted, found } => {
                write!(f, "the certificate is about\n{found}\nand not about\n{wanted}")
            }
            Fault::AnotherMachine { found } => {
                write!(
                    f,
                    "the certificate supposes {found}, and a claim in a format means {}",
                    Implementation::default()
                )
            }
            Fault::Threshold(rejection) => write!(f, "line 5, the threshold theorem: {rejection}"),
            Fault::Step { after, failure } => write!(f, "after {after} side conditions, {failure}"),
            Fault::EvidenceLeft { pieces } => write!(f, "{pieces} pieces of evidence are not used"),
        }
    }
}

impl std::error::Error for Fault {}

/// The SHA-256 of the text of a mechanism and a claim: what a certificate is about.
pub fn content_hash(mechanism: &Mechanism, claim: &Claim) -> String {
    let text = format!("{}\n{}\n", mechanism.write(), claim.write());
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The certificate of a proof.
pub fn write(proof: &Proof) -> String {
    let (mechanism, claim) = (proof.theorem().mechanism(), proof.theorem().claim());
    let mut lines = vec![proof.plan().write()];
    lines.extend(proof.evidence().iter().map(Code::write));
    let (wheres, lines) = share::share(&lines);
    let hash = content_hash(mechanism, claim);
    let mut text = format!("{FORMAT}\nhash {hash}\n{}\n{}\n", mechanism.write(), claim.write());
    for line in wheres.iter().chain(&lines) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The certificate of a theorem about a floating-point format.
pub fn write_threshold(theorem: &FloatTheorem) -> String {
    let (mechanism, claim) = (theorem.mechanism(), theorem.claim());
    let hash = content_hash(mechanism, claim);
    let (mechanism, claim, machine) = (mechanism.write(), claim.write(), theorem.implementation().write());
    format!("{FORMAT}\nhash {hash}\n{mechanism}\n{claim}\n{machine}\n")
}

/// What a certificate says, before anything of it is believed.
pub enum Parts {
    /// A claim about a floating-point format: the threshold theorem on this machine.
    Threshold(Mechanism, Claim, Implementation),
    /// A claim over the reals: a plan, and the evidence for its side conditions.
    Derivation {
        /// What it is about.
        mechanism: Mechanism,
        /// What it says of it.
        claim: Claim,
        /// The rules, in the order of the program.
        plan: Plan,
        /// One for each side condition, in the order in which they are met.
        evidence: Vec<Evidence>,
    },
}

/// Reads a certificate, whose hash must be that of what it is about.
pub fn parts(certificate: &str) -> Result<Parts, Fault> {
    let mut lines = Lines { lines: certificate.lines().collect(), at: 0, shared: Shared::new() };
    let format = lines.next()?;
    if format != FORMAT {
        let version = format.strip_prefix(ANY_VERSION).map(str::trim);
        let is_number = |text: &&str| {
            (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        };
        return Err(match version.filter(is_number) {
            Some(version) => Fault::AnotherVersion { found: version.to_owned() },
            // Another file was named by mistake, and what is in it is not to be shown.
            None => Fault::NoCertificate,
        });
    }
    let line = lines.next()?;
    let Some(stated) = line.strip_prefix("hash ") else {
        return Err(lines.fault(ReadError::new("a hash", line)));
    };
    let stated = stated.to_string();
    let mechanism: Mechanism = lines.read()?;
    let claim: Claim = lines.read()?;
    let actual = content_hash(&mechanism, &claim);
    if stated != actual {
        return Err(Fault::WrongHash { stated, actual });
    }
    if matches!(claim.reading, Reading::Binary { .. }) {
        let machine: Implementation = lines.read()?;
        if let Some(line) = lines.lines.get(lines.at) {
            lines.at += 1;
            return Err(lines.fault(ReadError::new("the end", line)));
        }
        return Ok(Parts::Threshold(mechanism, claim, machine));
    }
    lines.read_shared()?;
    let plan: Plan = lines.read()?;
    let mut evidence: Vec<Evidence> = Vec::new();
    while lines.at < lines.lines.len() {
        evidence.push(lines.read()?);
    }
    Ok(Parts::Derivation { mechanism, claim, plan, evidence })
}

/// Replays a certificate.
pub fn check(certificate: &str) -> Result<Proved, Fault> {
    let (mechanism, claim, plan, evidence) = match parts(certificate)? {
        Parts::Threshold(mechanism, claim, machine) => {
            let theorem = threshold(&mechanism, &claim, machine).map_err(Fault::Threshold)?;
            return Ok(Proved::InFloats(Box::new(theorem)));
        }
        Parts::Derivation { mechanism, claim, plan, evidence } => (mechanism, claim, plan, evidence),
    };
    let given = evidence.len();
    let mut recorded = Recorded::new(evidence);
    let theorem = replay(&mechanism, &claim, &plan, &mut recorded).map_err(|failure| Fault::Step {
        after: recorded.used().saturating_sub(1),
        failure: failure.into(),
    })?;
    if recorded.used() < given {
        return Err(Fault::EvidenceLeft { pieces: given - recorded.used() });
    }
    Ok(Proved::OverReals(Box::new(theorem)))
}

/// Replays a certificate that must be about the given mechanism and claim.
pub fn check_for(certificate: &str, mechanism: &Mechanism, claim: &Claim) -> Result<Proved, Fault> {
    let theorem = check(certificate)?;
    if theorem.mechanism() != mechanism || theorem.claim() != claim {
        return Err(Fault::AnotherClaim {
            wanted: format!("{mechanism}{claim}"),
            found: format!("{}{}", theorem.mechanism(), theorem.claim()),
        });
    }
    if let Proved::InFloats(theorem) = &theorem
        && theorem.implementation() != Implementation::default()
    {
        return Err(Fault::AnotherMachine { found: theorem.implementation() });
    }
    Ok(theorem)
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
    shared: Shared,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, Fault> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line.ok_or_else(|| self.fault(ReadError::new("another line", "the end")))
    }

    fn read<T: Code>(&mut self) -> Result<T, Fault> {
        let line = self.next()?;
        let text = Text::parse(line).and_then(|text| self.shared.expand(text));
        text.and_then(|text| T::read(&text)).map_err(|error| self.fault(error))
    }

    /// The texts that later lines name by number.
    fn read_shared(&mut self) -> Result<(), Fault> {
        while let Some(text) = self.lines.get(self.at).and_then(|line| line.strip_prefix("where ")) {
            self.at += 1;
            self.shared.define(text).map_err(|error| self.fault(error))?;
        }
        Ok(())
    }

    fn fault(&self, error: ReadError) -> Fault {
        Fault::Unreadable { line: self.at, error }
    }
}
