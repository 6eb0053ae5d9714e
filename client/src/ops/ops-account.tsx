// Who is signed in. The feed's own menu opens parts of the feed's frame, which is not around the console.
import { useLocation } from 'wouter'
import { useSignOut } from '../account/use-sign-out.ts'
import { places } from '../lib/places.ts'
import { useMe } from '../lib/use-me.ts'
import { texts } from '../texts/shell.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Menu } from '../ui/menu.tsx'

export function OpsAccount() {
  const me = useMe()
  const [, navigate] = useLocation()
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
        { text: texts.nav.signOut, icon: 'sign-out', onSelect: () => void signOut() },
      ]}
    />
  )
}
