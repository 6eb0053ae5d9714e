// Of everything that a schema found wrong, the first problem and its place, as `a.b.0`. `whole` names the input itself.
import type { ZodError } from 'zod'

export function firstProblem(error: ZodError, whole: string): { message: string; field: string } {
  const issue = error.issues[0]
  if (!issue) return { message: 'The input is not valid.', field: whole }
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path
  return { message: issue.message, field: path.map(String).join('.') || whole }
}
