import { useLocation } from 'wouter'
import { texts } from '../texts/shell.ts'
import { useToast } from '../ui/toast.tsx'

export function useSignOut(): () => Promise<void> {
  const [, navigate] = useLocation()
  const toast = useToast()
  return async () => {
    const { signOut } = await import('../lib/auth-client.ts')
    if (await signOut()) navigate('/sign-in', { replace: true })
    else toast.show({ text: texts.failed.unreachable, tone: 'bad' })
  }
}
