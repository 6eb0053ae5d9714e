// A session that ends while somebody reads: said at once and plainly, with the page left as it is behind it.
import { useLocation } from 'wouter'
import { useAddress } from '../lib/address.tsx'
import { places } from '../lib/places.ts'
import { useSessionEnded } from '../lib/session.ts'
import { texts } from '../texts/shell.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export function SessionEnded() {
  const ended = useSessionEnded()
  const [, navigate] = useLocation()
  const { pathname, search } = useAddress()
  return (
    <Dialog open={ended} onOpenChange={() => {}} firm title={texts.ended.title} description={texts.ended.text}>
      <div className="flex justify-end px-5 pt-3 pb-5">
        <Button look="primary" onClick={() => navigate(places.signIn(pathname + search))}>
          {texts.ended.button}
        </Button>
      </div>
    </Dialog>
  )
}
