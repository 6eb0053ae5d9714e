// The last net: a screen that throws is replaced by a sentence and a way on, instead of an empty page.
import { Component, type ReactNode } from 'react'
import { texts } from '../texts/shell.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

export class Crash extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    if (!this.state.broken) return this.props.children
    return (
      <main role="alert" className="grid min-h-full place-items-center">
        <EmptyState
          icon="warning"
          title={texts.crash.title}
          level={1}
          action={
            <Button look="primary" onClick={() => location.reload()}>
              {texts.crash.reload}
            </Button>
          }
        >
          {texts.crash.text}
        </EmptyState>
      </main>
    )
  }
}
