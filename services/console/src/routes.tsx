import { Container } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { ErrorState } from './components/states.tsx';
import { useSession } from './session/session.ts';
import { NotFoundPage, RouteError, RouteLoading } from './shell/route-states.tsx';
import { Shell } from './shell/shell.tsx';

/** Each page is a separate chunk that is loaded when it is first opened. Its module exports `Component`. */
const pages: RouteObject[] = [
  { index: true, lazy: () => import('./pages/overview/overview-page.tsx') },
  { path: 'talk/:agentId?', lazy: () => import('./pages/talk/talk-page.tsx') },
  { path: 'agents', lazy: () => import('./pages/agents/agents-page.tsx') },
  { path: 'agents/new', lazy: () => import('./pages/agents/new-agent-page.tsx') },
  { path: 'agents/:agentId', lazy: () => import('./pages/agents/agent-page.tsx') },
  { path: 'voices', lazy: () => import('./pages/voices/voices-page.tsx') },
  { path: 'tools', lazy: () => import('./pages/tools/tools-page.tsx') },
  { path: 'tools/new', lazy: () => import('./pages/tools/new-tool-page.tsx') },
  { path: 'tools/:toolId', lazy: () => import('./pages/tools/tool-page.tsx') },
  { path: 'knowledge', lazy: () => import('./pages/knowledge/knowledge-page.tsx') },
  { path: 'knowledge/:corpusId', lazy: () => import('./pages/knowledge/corpus-page.tsx') },
  { path: 'calls', lazy: () => import('./pages/calls/calls-page.tsx') },
  { path: 'calls/deleted', lazy: () => import('./pages/calls/deleted-calls-page.tsx') },
  { path: 'calls/:callId', lazy: () => import('./pages/calls/call-page.tsx') },
  { path: 'batches', lazy: () => import('./pages/batches/batches-page.tsx') },
  { path: 'batches/new', lazy: () => import('./pages/batches/new-batch-page.tsx') },
  { path: 'batches/:agentId/:batchId', lazy: () => import('./pages/batches/batch-page.tsx') },
  { path: 'throttles', lazy: () => import('./pages/throttles/throttles-page.tsx') },
  { path: 'phone', lazy: () => import('./pages/phone/phone-page.tsx') },
  { path: 'engines', lazy: () => import('./pages/engines/engines-page.tsx') },
  { path: 'usage', lazy: () => import('./pages/usage/usage-page.tsx') },
  { path: 'webhooks', lazy: () => import('./pages/webhooks/webhooks-page.tsx') },
  { path: 'webhooks/:webhookId', lazy: () => import('./pages/webhooks/webhook-page.tsx') },
  { path: 'keys', lazy: () => import('./pages/keys/keys-page.tsx') },
  { path: 'account', lazy: () => import('./pages/account/account-page.tsx') },
  { path: '*', Component: NotFoundPage },
];

export function createRouter() {
  return createBrowserRouter([
    {
      path: 'invitation',
      ErrorBoundary: RouteError,
      HydrateFallback: RouteLoading,
      lazy: async () => ({ Component: (await import('./session/invitation-page.tsx')).InvitationPage }),
    },
    {
      Component: SignedIn,
      ErrorBoundary: RouteError,
      HydrateFallback: RouteLoading,
      // Keeps the navigation usable if a page fails.
      children: [{ ErrorBoundary: RouteError, children: pages }],
    },
  ]);
}

const SignInPage = lazy(async () => ({ default: (await import('./session/sign-in-page.tsx')).SignInPage }));
const SessionOverDialog = lazy(async () => ({
  default: (await import('./session/session-over-dialog.tsx')).SessionOverDialog,
}));

/** Shows the sign-in page on every path until the user signs in, then the requested page. */
function SignedIn() {
  const { data: session, error, refetch } = useSession();
  if (session) {
    return (
      <>
        <Shell session={session} />
        {session.isOver && (
          <Suspense>
            <SessionOverDialog session={session} />
          </Suspense>
        )}
      </>
    );
  }
  if (session === null) {
    return (
      <Suspense fallback={<RouteLoading />}>
        <SignInPage />
      </Suspense>
    );
  }
  if (!error) return <RouteLoading />;
  return (
    <Container size="xs" py="xl">
      <ErrorState error={error} onRetry={() => void refetch()} />
    </Container>
  );
}
