export type ToastNote = {
  text: string
  action?: { text: string; run: () => void }
  tone?: 'plain' | 'bad'
}

export type ShownToast = ToastNote & { id: number }
