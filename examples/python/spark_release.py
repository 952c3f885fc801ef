"""A release whose table is in Spark, on two worker processes: Spark counts, the noise is ours.

scripts/spark.sh runs it. The table is that of examples/data, and the same query of the file must give the same sums: with so large an
epsilon the noise is 0.
"""

import pathlib
import tempfile
from typing import Any

from pyspark.sql import SparkSession

import probity_dp as pb

data = pathlib.Path(__file__).resolve().parents[1] / "data"
query = "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region"

# Two workers of one core and a gigabyte each, as processes of their own.
builder: Any = SparkSession.builder
spark = builder.master("local-cluster[2,1,1024]").appName("probity").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
people = spark.read.csv(str(data / "people.csv"), header=True, inferSchema=True).repartition(4)
people.createOrReplaceTempView("people")


def worker(_: object) -> Any:
    import os

    return [os.getppid()]


workers = set(spark.sparkContext.parallelize(range(8), 8).mapPartitions(worker).collect())

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    loud = (data / "people.toml").read_text().replace('epsilon = "2" ', 'epsilon = "1e15" ').replace('"1/2"', '"12e9"')
    (folder / "loud.toml").write_text(loud)

    def asked(source: Any, ledger: str) -> Any:
        where = folder / ledger
        return pb.Session(data={"people": source}, policy=folder / "loud.toml", ledger=where, init=True).sql(query)

    there, here = asked(spark, "spark.ledger"), asked(data / "people.csv", "file.ledger")
    assert there.rows == here.rows, (there.rows, here.rows)

    ledger = folder / "people.ledger"
    session = pb.Session(data={"people": spark}, policy=data / "people.toml", ledger=ledger, init=True)
    print(session.sql(query))

print(f"the same sums as from the file, counted by {len(workers)} worker processes")
assert len(workers) >= 2
spark.stop()
