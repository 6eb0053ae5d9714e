import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { signIn, signInWithProvider } from '../lib/auth-client.ts'
import { places } from '../lib/places.ts'
import { useSessionEnded } from '../lib/session.ts'
import { trpc } from '../lib/trpc.ts'
import { useTitle } from '../lib/use-title.ts'
import { accountTexts } from '../texts/account.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { AccountFrame, FOOT_LINK } from './account-frame.tsx'
import { errorAt, FormError } from './form-error.tsx'
import { useAccountForm } from './use-account-form.ts'

const FIELDS = ['email', 'password'] as const

export function SignInPage() {
  useTitle(accountTexts.signInButton)
  const ended = useSessionEnded()
  const ways = useQuery(trpc.me.signInWays.queryOptions())
  const form = useAccountForm(({ email = '', password = '' }) => signIn({ email, password }))
  const provider = ways.data?.oidcName

  return (
    <AccountFrame
      title={accountTexts.signIn}
      hint={accountTexts.signInHint}
      note={ended ? accountTexts.ended : null}
      foot={
        <>
          {accountTexts.noAccount}{' '}
          <Link to={places.signUp + form.search} className={FOOT_LINK}>
            {accountTexts.toSignUp}
          </Link>
        </>
      }
    >
      <form onSubmit={form.onSubmit} noValidate className="grid gap-3.5">
        <FormError problem={form.problem} fields={FIELDS} />
        <Field label={accountTexts.email} error={errorAt(form.problem, 'email')}>
          <Input name="email" type="email" autoComplete="username" inputMode="email" />
        </Field>
        <Field label={accountTexts.password} error={errorAt(form.problem, 'password')}>
          <Input name="password" type="password" autoComplete="current-password" />
        </Field>
        <Button type="submit" look="primary" busy={form.busy} className="mt-1 h-9! w-full">
          {accountTexts.signInButton}
        </Button>
      </form>
      {provider && (
        <>
          <p className="my-4 flex items-center gap-3 text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {accountTexts.or}
          </p>
          <Button icon="shield" className="h-9! w-full" onClick={() => void signInWithProvider(form.next)}>
            {accountTexts.sso(provider)}
          </Button>
        </>
      )}
    </AccountFrame>
  )
}
