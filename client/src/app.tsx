// Which address shows which screen. The feed is part of the first load; everything else arrives when it is opened.
import { lazy, Suspense } from 'react'
import { Route, Routes } from 'react-router'
import { lazyPart } from './lib/lazy-part.ts'
import { FeedRoute } from './shell/feed-route.tsx'
import { Frame } from './shell/frame.tsx'
import { Gate } from './shell/gate.tsx'
import { NotFound } from './shell/not-found.tsx'
import { TopicRoute } from './shell/topic-route.tsx'

const SignInPage = lazy(() => import('./account/sign-in-page.tsx').then((page) => ({ default: page.SignInPage })))
const SignUpPage = lazy(() => import('./account/sign-up-page.tsx').then((page) => ({ default: page.SignUpPage })))
const BrowsePage = lazyPart(
  () => import('./topics/browse-page.tsx'),
  (module) => module.BrowsePage,
)
const ManagePage = lazyPart(
  () => import('./topics/manage-page.tsx'),
  (module) => module.ManagePage,
)
const SettingsPage = lazyPart(
  () => import('./settings/settings-page.tsx'),
  (module) => module.SettingsPage,
)

export function App() {
  return (
    <Suspense>
      <Routes>
        <Route path="/sign-in" element={<SignInPage />} />
        <Route path="/sign-up" element={<SignUpPage />} />
        <Route
          element={
            <Gate>
              <Frame />
            </Gate>
          }
        >
          <Route index element={<FeedRoute />} />
          <Route path="/t/:kind/:name" element={<TopicRoute />} />
          <Route path="/t/:kind/:name/settings" element={<ManagePage />} />
          <Route path="/topics" element={<BrowsePage />} />
          <Route path="/settings" element={<SettingsPage />} />
          <Route path="*" element={<NotFound />} />
        </Route>
      </Routes>
    </Suspense>
  )
}
