import type { AuthProblem } from '../lib/auth-client.ts'
import { Icon } from '../ui/icon.tsx'

/** The sentence at the field it is about. */
export const errorAt = (problem: AuthProblem | null, field: string): string | undefined =>
  problem?.field === field ? problem.message : undefined

/** What is wrong with no field in particular, or with one that this form does not show. */
export function FormError({ problem, fields }: { problem: AuthProblem | null; fields: readonly string[] }) {
  if (!problem || (problem.field !== undefined && fields.includes(problem.field))) return null
  return (
    <p role="alert" className="flex gap-2 rounded-8 bg-bad-tint px-3 py-2">
      <Icon name="warning" className="mt-0.5 text-bad" />
      {problem.message}
    </p>
  )
}
