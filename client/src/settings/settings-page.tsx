import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSignOut } from '../account/use-sign-out.ts'
import { places } from '../lib/places.ts'
import { type Preferences, setPreference, usePreferences } from '../lib/preferences.ts'
import { queryClient } from '../lib/query-client.ts'
import { errorBody, trpc } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import { useTitle } from '../lib/use-title.ts'
import { useShell } from '../shell/shell-context.ts'
import { accountTexts } from '../texts/account.ts'
import { settingsTexts } from '../texts/settings.ts'
import { texts } from '../texts/shell.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Choice, Switch } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Group, Page } from '../ui/page.tsx'
import { useToast } from '../ui/toast.tsx'
import { NotificationSettings } from './notification-settings.tsx'

const t = settingsTexts

export function SettingsPage() {
  useTitle(t.title)
  const me = useMe()
  const shell = useShell()
  const signOut = useSignOut()
  const { theme, density, shortcuts } = usePreferences()
  return (
    <Page title={t.title} narrow>
      <Group title={t.you}>
        <div className="flex items-center gap-3">
          <Avatar handle={me.handle} name={me.name} size="44px" />
          <div className="min-w-0">
            <p className="truncate text-14 font-semibold">{me.name}</p>
            <p className="truncate text-ink-3">
              @{me.handle} · {me.email}
            </p>
          </div>
        </div>
        <Rename name={me.name} />
      </Group>

      <Group title={t.look} hint={t.browserOnly}>
        <Choice<Preferences['theme']>
          label={t.theme}
          look="segments"
          value={theme}
          onChange={(value) => setPreference('theme', value)}
          options={[
            { value: 'system', text: t.themes.system, icon: 'monitor' },
            { value: 'light', text: t.themes.light, icon: 'sun' },
            { value: 'dark', text: t.themes.dark, icon: 'moon' },
          ]}
        />
        <Choice<Preferences['density']>
          label={t.density}
          look="segments"
          value={density}
          onChange={(value) => setPreference('density', value)}
          options={[
            { value: 'comfortable', text: t.densities.comfortable },
            { value: 'compact', text: t.densities.compact },
          ]}
        />
      </Group>

      <Group title={t.keyboard}>
        <Switch
          label={t.shortcuts}
          hint={t.shortcutsHint}
          checked={shortcuts}
          onChange={(value) => setPreference('shortcuts', value)}
        />
        <div>
          <Button icon="keyboard" onClick={shell.openShortcuts}>
            {t.showShortcuts}
          </Button>
        </div>
      </Group>

      <Group title={t.tools} hint={t.toolsHint}>
        <div>
          <ButtonLink icon="terminal" to={places.developers}>
            {t.openKeys}
          </ButtonLink>
        </div>
      </Group>

      <NotificationSettings />

      <Group title={t.session} hint={t.signedInAs(me.email)}>
        <div>
          <Button icon="sign-out" onClick={() => void signOut()}>
            {texts.nav.signOut}
          </Button>
        </div>
      </Group>
    </Page>
  )
}

function Rename({ name }: { name: string }) {
  const [text, setText] = useState(name)
  const toast = useToast()
  const rename = useMutation(
    trpc.me.rename.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries(trpc.me.get.queryFilter())
        toast.show({ text: texts.saved })
      },
    }),
  )
  const error = rename.error ? (errorBody(rename.error)?.message ?? texts.failed.unreachable) : undefined
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate({ name: text })
      }}
    >
      <Field label={accountTexts.name} error={error}>
        <Input
          name="name"
          autoComplete="name"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="max-w-80"
        />
      </Field>
      <div>
        <Button type="submit" busy={rename.isPending} disabled={text.trim() === name}>
          {texts.save}
        </Button>
      </div>
    </form>
  )
}
