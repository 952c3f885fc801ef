"""A mechanism as a text: proved, audited, run; and a wrong one, refuted."""

import probity_dp as pb

TEXT = """
mechanism above(q: real[])
param eps > 0
out = []
rho ~ laplace(100, 2 / eps)
count = 0
for i in 0..length(q) {
  if count < 1 {
    nu ~ laplace(q[i], 4 / eps)
    append(out, nu >= rho)
    if nu >= rho {
      count = count + 1
    }
  }
}
return out
neighbours every entry of q differs by at most 1
claim eps
"""

above = pb.Mechanism(TEXT)
verdict = above.verify()
print(verdict)
assert verdict.is_proved and verdict.certificate is not None
assert above.check(verdict.certificate).accepted

run = above.set(eps="1/2").run(q=[98, 103, 97, 140])
print(run.value, "costs", run.epsilon)

wrong = pb.Mechanism(TEXT.replace("laplace(q[i], 4 / eps)", "laplace(q[i], 1 / (2 * eps))"))
print(wrong.verify().status)
