//! Engines that keep the rows themselves, asked through their own client programs: `psql`, `duckdb`, `spark-sql`.
//!
//! The client connects and authenticates as its user is used to; it is sent one statement and answers with integers, and with bytes
//! in hexadecimal digits where keys are discovered. What it says on its
//! error stream is shown while types are asked for, before a row is read, and never afterwards: it could speak of values.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::sql::{self, Dialect, Kind};
use super::{Counts, Engine, Exact, cannot_find_keys};
use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// A table in another engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    dialect: Dialect,
    /// Where: a connection for `psql`, a file for `duckdb`, a master for `spark-sql`.
    place: String,
    /// The table or view, as the engine calls it.
    table: String,
    /// Its columns with their types, once they were asked for: starting a client may take long.
    known: OnceLock<Vec<(String, String)>>,
}

impl Client {
    /// The table that a text like `postgresql://host/db#table`, `duckdb:FILE#table` or `spark:local[2]#table` stands for; `None` if it names
    /// no engine. Without `#table` it is the policy's name.
    pub fn named(text: &str, table: &str) -> Option<Client> {
        let (dialect, rest) = if text.starts_with("postgresql://") || text.starts_with("postgres://") {
            (Dialect::Postgres, text)
        } else if let Some(rest) = text.strip_prefix("duckdb:") {
            (Dialect::DuckDb, rest)
        } else {
            (Dialect::Spark, text.strip_prefix("spark:")?)
        };
        let (place, table) = rest.split_once('#').unwrap_or((rest, table));
        Some(Client { dialect, place: place.to_owned(), table: table.to_owned(), known: OnceLock::new() })
    }

    fn program(&self) -> &'static str {
        match self.dialect {
            Dialect::Postgres => "psql",
            Dialect::DuckDb => "duckdb",
            Dialect::Spark => "spark-sql",
        }
    }

    /// What the client answers to a statement, line by line, its columns separated by tabs; or what it complains about.
    fn ask(&self, statement: &str) -> Answer<Result<String, String>> {
        let mut command = Command::new(self.program());
        match self.dialect {
            Dialect::Postgres => {
                let options = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-F", "\t", "-d"];
                command.args(options).arg(&self.place);
            }
            Dialect::DuckDb => {
                command.args(["-noheader", "-list", "-separator", "\t", "-bail"]);
                if !self.place.is_empty() {
                    command.args(["-readonly", &self.place]);
                }
            }
            Dialect::Spark => {
                if !self.place.is_empty() {
                    command.args(["--master", &self.place]);
                }
                command.args(["-S", "-e", statement]);
            }
        }
        let missing = |error: &std::io::Error| {
            Refusal::input(format!("cannot start {}: {error}", self.program()))
                .hint("install the engine's client and put it on the PATH")
        };
        let mut child = command
            .stdin(if self.dialect == Dialect::Spark { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| missing(&error))?;
        // A client that ends before it has read everything says why itself.
        let sent = child.stdin.take().map_or(Ok(()), |mut input| {
            input.write_all(statement.as_bytes())?;
            input.write_all(b"\n")
        });
        let done = child.wait_with_output().map_err(|error| missing(&error))?;
        let complaint = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        match done.status.success() && sent.is_ok() {
            true => Ok(Ok(String::from_utf8_lossy(&done.stdout).into_owned())),
            false => Ok(Err(complaint)),
        }
    }

    /// The columns of the table with their types. No row is read.
    fn columns(&self) -> Answer<&[(String, String)]> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let statement = match self.dialect {
            Dialect::Postgres => format!("SELECT * FROM {} \\gdesc", self.table),
            Dialect::DuckDb => format!("DESCRIBE SELECT * FROM {};", self.table),
            Dialect::Spark => format!("DESCRIBE QUERY SELECT * FROM {}", self.table),
        };
        let answer = self.ask(&statement)?.map_err(|complaint| {
            let last: Vec<&str> = complaint.lines().rev().take(3).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            Refusal::input(format!(
                "{} does not answer about {}: {}",
                self.program(),
                self.table,
                last.join("; ")
            ))
            .hint("check the connection and the table; `#TABLE` at the end of --data names it")
        })?;
        let line = |line: &str| {
            let mut parts = line.split('\t');
            Some((parts.next()?.trim().to_owned(), parts.next()?.trim().to_owned()))
        };
        Ok(self.known.get_or_init(|| answer.lines().filter_map(line).collect()))
    }

    /// The kinds of the columns that a plan reads, and of that of its users.
    fn kinds(&self, plan: &Plan) -> Answer<(Vec<Kind>, Option<Kind>)> {
        let columns = self.columns()?;
        let header: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let places = super::rows::places(plan, &header)?;
        let kind = |place: &usize| {
            let (name, of) = &columns[*place];
            sql::kind(of).ok_or_else(|| {
                Refusal::input(format!(
                    "the column {name} has the type {of}, which is not read from an engine"
                ))
                .hint("make a view in which it is an integer, a DECIMAL, a text, a boolean or a DATE")
            })
        };
        let mut kinds: Vec<Kind> = places.iter().map(kind).collect::<Answer<_>>()?;
        let user = if kinds.len() > plan.fields.len() { kinds.pop() } else { None };
        Ok((kinds, user))
    }

    fn statement(&self, plan: &Plan) -> Answer<String> {
        let (kinds, user) = self.kinds(plan)?;
        if self.dialect == Dialect::Postgres && (user.is_some() || plan.discovered().is_some()) {
            self.check_encoding()?;
        }
        let statement = sql::statement(plan, &self.table, &kinds, user, self.dialect)?;
        Ok(if self.dialect == Dialect::Spark { statement } else { statement + ";" })
    }
}

impl Client {
    /// Texts that are hashed, or are keys, are taken as UTF-8. In a database of another encoding that fails at a text that has none, which
    /// would tell of its row. No row is read.
    fn check_encoding(&self) -> Answer<()> {
        let encoding = self.ask("SHOW server_encoding;")?.unwrap_or_default();
        match encoding.trim() {
            "UTF8" => Ok(()),
            other => Err(Refusal::input(format!(
                "the database of {} is in the encoding {other}: users and keys that are discovered are read from UTF8 only",
                self.table
            ))
            .hint("copy the table into a database of ENCODING 'UTF8', or into a CSV file")),
        }
    }

    /// What the engine says to the statement of a plan.
    fn answer(&self, plan: &Plan) -> Answer<String> {
        self.ask(&self.statement(plan)?)?.map_err(|_| self.failed())
    }

    fn failed(&self) -> Refusal {
        Refusal::input(format!(
            "{} failed while it added up {}; nothing was released",
            self.program(),
            self.table
        ))
        .hint("what it says is not shown, since it may speak of rows: look at the engine's own log")
    }
}

impl Engine for Client {
    fn check(&self, plan: &Plan) -> Answer<()> {
        self.statement(plan).map(drop)
    }

    fn sums(&self, plan: &Plan, _progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        let answer = self.answer(plan)?;
        let numbers = |line: &str| -> Option<Vec<i128>> {
            line.split('\t').map(|number| number.trim().parse().ok()).collect()
        };
        let lines = answer.lines().filter(|line| !line.trim().is_empty());
        let rows = lines.map(numbers).collect::<Option<Vec<_>>>().ok_or_else(|| self.failed())?;
        sql::gathered(plan, rows).ok_or_else(|| self.failed())
    }

    fn finds_keys(&self) -> bool {
        matches!(self.dialect, Dialect::Postgres | Dialect::DuckDb)
    }

    fn keys(&self, plan: &Plan, _progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Counts> {
        if !self.finds_keys() {
            return Err(cannot_find_keys());
        }
        let answer = self.answer(plan)?;
        let row = |line: &'_ str| {
            let (key, count) = line.split_once('\t')?;
            Some((key.trim().to_owned(), count.trim().parse().ok()?))
        };
        let lines = answer.lines().filter(|line| !line.trim().is_empty());
        let rows: Vec<(String, u64)> = lines.map(row).collect::<Option<_>>().ok_or_else(|| self.failed())?;
        sql::found(plan, rows.iter().map(|(key, count)| (key.as_str(), *count))).ok_or_else(|| self.failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_by_name() {
        let client = Client::named("postgresql://me@host/db#public.people", "people").unwrap();
        assert_eq!(
            (client.dialect, client.place.as_str(), client.table.as_str()),
            (Dialect::Postgres, "postgresql://me@host/db", "public.people")
        );
        let client = Client::named("duckdb:people.duckdb", "people").unwrap();
        assert_eq!(
            (client.dialect, client.place.as_str(), client.table.as_str()),
            (Dialect::DuckDb, "people.duckdb", "people")
        );
        let client = Client::named("spark:local-cluster[2,1,1024]#parquet.`p`", "people").unwrap();
        assert_eq!(
            (client.place.as_str(), client.table.as_str()),
            ("local-cluster[2,1,1024]", "parquet.`p`")
        );
        assert_eq!(Client::named("people.csv", "people"), None);
    }
}
