import { useState } from 'react'
import { Link } from 'wouter'
import { signUp } from '../lib/auth-client.ts'
import { useTitle } from '../lib/use-title.ts'
import { accountTexts } from '../texts/account.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { AccountFrame, FOOT_LINK } from './account-frame.tsx'
import { errorAt, FormError } from './form-error.tsx'
import { suggestHandle } from './suggest-handle.ts'
import { useAccountForm } from './use-account-form.ts'

const FIELDS = ['name', 'handle', 'email', 'password'] as const

export function SignUpPage() {
  useTitle(accountTexts.signUp)
  // Follows the name until somebody writes their own.
  const [handle, setHandle] = useState<{ text: string; own: boolean }>({ text: '', own: false })
  const form = useAccountForm(({ name = '', handle = '', email = '', password = '' }) =>
    signUp({ name, handle, email, password }),
  )
  return (
    <AccountFrame
      title={accountTexts.signUp}
      hint={accountTexts.signUpHint}
      foot={
        <>
          {accountTexts.hasAccount}{' '}
          <Link to={`/sign-in${form.search}`} className={FOOT_LINK}>
            {accountTexts.toSignIn}
          </Link>
        </>
      }
    >
      <form onSubmit={form.onSubmit} noValidate className="grid gap-3.5">
        <FormError problem={form.problem} fields={FIELDS} />
        <Field label={accountTexts.name} hint={accountTexts.nameHint} error={errorAt(form.problem, 'name')}>
          <Input
            name="name"
            autoComplete="name"
            onChange={(event) => !handle.own && setHandle({ text: suggestHandle(event.target.value), own: false })}
          />
        </Field>
        <Field label={accountTexts.handle} hint={accountTexts.handleHint} error={errorAt(form.problem, 'handle')}>
          <Input
            name="handle"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={handle.text}
            onChange={(event) => setHandle({ text: event.target.value.toLowerCase(), own: event.target.value !== '' })}
          />
        </Field>
        <Field label={accountTexts.email} error={errorAt(form.problem, 'email')}>
          <Input name="email" type="email" autoComplete="username" inputMode="email" />
        </Field>
        <Field label={accountTexts.password} hint={accountTexts.passwordHint} error={errorAt(form.problem, 'password')}>
          <Input name="password" type="password" autoComplete="new-password" />
        </Field>
        <Button type="submit" look="primary" busy={form.busy} className="mt-1 h-9! w-full">
          {accountTexts.signUpButton}
        </Button>
      </form>
    </AccountFrame>
  )
}
