//! Writes the Coq text of every certificate in a folder: `export_library CERTIFICATES OUT`. Prints one line for each, with the reason where there is none.

use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &arguments[..] else { return Err("usage: export_library CERTIFICATES OUT".into()) };
    let mut paths: Vec<_> =
        fs::read_dir(from)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "cert"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match probity_coq::export(&fs::read_to_string(&path)?) {
            Ok(text) => {
                fs::write(Path::new(to).join(format!("{name}.v")), text)?;
                println!("{name}: exported");
            }
            Err(reason) => println!("{name}: {reason}"),
        }
    }
    Ok(())
}
