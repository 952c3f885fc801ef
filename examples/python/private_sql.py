"""Private answers to SQL from a CSV file, from a budget that cannot be overspent."""

import pathlib
import tempfile

import probity_dp as pb

data = pathlib.Path(__file__).resolve().parents[1] / "data"

with tempfile.TemporaryDirectory() as folder:
    session = pb.Session(
        data={"people": data / "people.csv"},
        policy=data / "people.toml",
        ledger=pathlib.Path(folder) / "people.ledger",
        init=True,
    )
    query = "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region"
    print(session.preview(query))
    answer = session.sql(query)
    print(answer)
    for row in answer.to_dicts():
        print(f"{row['region']}: between {row['n_low']} and {row['n_high']} people")
    assert pb.check(answer.certificate).accepted
    try:
        for number in range(5):
            session.sql(f"SELECT COUNT(*) AS n{number} FROM people")
    except pb.BudgetExceeded as refusal:
        print(f"refused: {refusal.message}")
