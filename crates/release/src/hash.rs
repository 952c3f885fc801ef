//! SHA-256 of several texts, each with its length before it, so that no two lists of texts are hashed alike.

use sha2::{Digest, Sha256};

/// The hash of a list of texts.
pub fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The hash of one text as it is, which other programs can compute too.
pub fn plain(text: &[u8]) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// The hash of a list in hexadecimal digits.
pub fn hex(parts: &[&[u8]]) -> String {
    to_hex(&digest(parts))
}

/// Bytes in hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_apart() {
        assert_ne!(hex(&[b"ab", b"c"]), hex(&[b"a", b"bc"]));
        assert_ne!(hex(&[b"", b"a"]), hex(&[b"a", b""]));
        assert_eq!(hex(&[b"a"]).len(), 64);
    }
}
