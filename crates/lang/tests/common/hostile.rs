//! Texts of a megabyte that aim at depth, length, numbers of faults and quadratic time.

/// A megabyte of `piece`, between a head and a tail.
pub fn megabyte(head: &str, piece: &str, tail: &str) -> String {
    let count = (1 << 20) / piece.len();
    format_args!("{head}{}{tail}", piece.repeat(count)).to_string()
}

/// Texts of a megabyte that aim at depth, length, numbers of faults and quadratic time.
pub fn hostile() -> Vec<String> {
    let head = "mechanism m(x: real, q: real[])\nparam eps > 0\n";
    let line = "mechanism m(x: real)\ny = ";
    let mut texts: Vec<String> =
        ["(", "[", "-", "not ", "x[", "abs(", "if x then ", "x + ", "x <= ", "x and ", "1e400 + ", "9"]
            .iter()
            .map(|piece| megabyte(line, piece, ""))
            .collect();
    for piece in [
        "{",
        "}",
        "if x > 0 {\n",
        "if x > 0 { } else ",
        "for i in 0..3 {\n",
        "while x > 0 {\n",
        "proof {\n",
        "((\n",
        "(\nif x\n",
    ] {
        texts.push(megabyte(head, piece, ""));
    }
    for piece in [
        "y = 1\n",
        "undeclared = missing\n",
        "y ~ laplace(x, 1)\n",
        "return x\n",
        "claim 1\n",
        "neighbours any\n",
        "param p > 0\n",
    ] {
        texts.push(megabyte(head, piece, "return x\nneighbours abs(x' - x) <= 1\nclaim 1\n"));
    }
    for piece in [
        "#",
        "# ",
        "é",
        "\u{202e}",
        "\n",
        " ",
        "\t",
        "// comment\n",
        "\r\n",
        "'",
        "~ ",
        "x'",
        "aaaa",
        "a ",
        "0..",
        ".",
    ] {
        texts.push(megabyte("", piece, ""));
    }
    let many_names: String = (0..50_000).map(|i| format!("v{i} = v{}\n", i + 1)).collect();
    texts.push(format!("{head}{many_names}return x\n"));
    let many_lets: String = (1..40_000).map(|i| format!("let d{i} = d{} + d{}\n", i - 1, i - 1)).collect();
    texts.push(format!("{head}let d0 = eps\n{many_lets}return x\n"));
    let deep_lets: String =
        (1..20_000).map(|i| format!("let d{i} = 1 + (1 + (1 + (1 + d{})))\n", i - 1)).collect();
    texts.push(format!("{head}let d0 = eps\n{deep_lets}return x\n"));
    let branches: String =
        (0..20_000).map(|i| format!("if x > {i} {{\na{i} = 1\n}} else {{\na{i} = 2\n}}\n")).collect();
    texts.push(format!("{head}{branches}return x\n"));
    let calls = format!("{}x{}", "clamp(".repeat(90), ", 1, 2)".repeat(90));
    texts.push(megabyte(head, &format!("y = {calls}\n"), "return y\n"));
    texts.push(megabyte(head, "y = clamp(q[0], if x > 0 then 1 else 2, x / (1 / (1 / 0)))\n", "return y\n"));
    texts.push(megabyte(line, "((((((((((x))))))))))+", "x"));
    texts
}
