// Sending a form of the account pages: one at a time, with focus on the field that was refused.
import { type SubmitEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useAddress } from '../lib/address.tsx'
import type { AuthProblem } from '../lib/auth-client.ts'
import { safeNext } from '../lib/places.ts'

export function useAccountForm(send: (values: Record<string, string>) => Promise<AuthProblem | null>) {
  const [problem, setProblem] = useState<AuthProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const search = new URLSearchParams(useAddress().search)
  const [, navigate] = useLocation()
  const next = safeNext(search.get('next'))

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (sending.current) return
    const form = event.currentTarget
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    sending.current = true
    setBusy(true)
    const refused = await send(values)
    sending.current = false
    setBusy(false)
    setProblem(refused)
    if (refused === null) return navigate(next, { replace: true })
    const field = refused.field === undefined ? null : form.elements.namedItem(refused.field)
    if (field instanceof HTMLElement) field.focus()
  }
  return { problem, busy, onSubmit, next, search: search.size > 0 ? `?${search}` : '' }
}
