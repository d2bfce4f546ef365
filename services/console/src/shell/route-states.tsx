import { Button, Center, Loader } from '@mantine/core';
import { Link, useRouteError } from 'react-router';
import { ApiProblem } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorState } from '../components/states.tsx';

const UPDATED = new ApiProblem({
  status: 0,
  code: 'updated',
  detail: 'This page couldn’t be fetched. The console may have been updated, or the connection is away.',
});

/** Shown when a page throws, or when its script can't be fetched: after a release, reloading helps. */
export function RouteFault() {
  const error = useRouteError();
  const problem = asProblem(error);
  // Browsers have only words for it, each its own; all of them name the module.
  const isGone = /module/iu.test(problem.message) && error instanceof TypeError;
  return (
    <Page title="Something went wrong">
      <ErrorState
        error={isGone ? UPDATED : problem}
        retryLabel="Load again"
        onRetry={() => location.reload()}
      />
    </Page>
  );
}

export function RouteLoading() {
  return (
    <Center mih="50vh">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is nothing here"
        action={
          <Button component={Link} to="/" variant="default">
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or what it led to was deleted.
      </EmptyState>
    </Page>
  );
}
