import { useLocation } from 'wouter'
import { useSignOut } from '../account/use-sign-out.ts'
import { places } from '../lib/places.ts'
import { useMe } from '../lib/use-me.ts'
import { texts } from '../texts/shell.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Menu } from '../ui/menu.tsx'
import { useShell } from './shell-context.ts'

export function AccountMenu() {
  const me = useMe()
  const [, navigate] = useLocation()
  const shell = useShell()
  const signOut = useSignOut()
  return (
    <Menu
      label={texts.nav.account}
      trigger={
        <button
          type="button"
          aria-label={`${texts.nav.account}: ${me.name}`}
          className="grid size-(--control-h) flex-none place-items-center rounded-full"
        >
          <Avatar handle={me.handle} name={me.name} size="28px" />
        </button>
      }
      entries={[
        { heading: me.name, hint: `@${me.handle}` },
        'line',
        { text: texts.nav.settings, icon: 'settings', onSelect: () => navigate(places.settings) },
        { text: texts.nav.shortcuts, icon: 'keyboard', keys: ['?'], onSelect: shell.openShortcuts },
        { text: texts.nav.signOut, icon: 'sign-out', onSelect: () => void signOut() },
      ]}
    />
  )
}
