import { useState } from 'react'
import { setPreference, usePreferences } from '../lib/preferences.ts'
import { isTime } from '../lib/quiet-hours.ts'
import { bellTexts } from '../texts/bell.ts'
import { Switch } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Group } from '../ui/page.tsx'

const t = bellTexts.settings

/** The browser asks for consent when they are turned on, and only then. */
export function NotificationSettings() {
  const { desktop, quiet } = usePreferences()
  const [refused, setRefused] = useState(false)
  const turn = async (on: boolean) => {
    const answer = on && 'Notification' in window ? await Notification.requestPermission() : 'denied'
    setRefused(on && answer !== 'granted')
    setPreference('desktop', on && answer === 'granted')
  }
  const time = (name: 'from' | 'to', label: string) => (
    <Field label={label}>
      <Input
        type="time"
        required
        value={quiet[name]}
        onChange={({ target: { value } }) => isTime(value) && setPreference('quiet', { ...quiet, [name]: value })}
        className="w-32!"
      />
    </Field>
  )
  return (
    <Group title={t.title}>
      <Switch label={t.desktop} hint={t.desktopHint} checked={desktop} onChange={(on) => void turn(on)} />
      {refused && (
        <p role="alert" className="text-bad">
          {t.refused}
        </p>
      )}
      <Switch
        label={t.quiet}
        hint={t.quietHint}
        checked={quiet.on}
        onChange={(on) => setPreference('quiet', { ...quiet, on })}
      />
      {quiet.on && (
        <div className="flex flex-wrap gap-4">
          {time('from', t.from)}
          {time('to', t.to)}
        </div>
      )}
    </Group>
  )
}
