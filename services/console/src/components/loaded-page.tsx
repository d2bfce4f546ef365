import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from './page.tsx';
import { ErrorState } from './states.tsx';

const SKELETON_PX = 320;

/**
 * The page of a resource. Renders `children` once the resource is loaded; before, a skeleton or an error with a retry
 * button.
 */
export function LoadedPage<T>(props: {
  /** Title until it is loaded. */
  title: string;
  back: { to: string; label: string };
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  const { title, back, query } = props;
  if (query.data !== undefined) return props.children(query.data);
  return (
    <Page title={title} back={back}>
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton height={SKELETON_PX} radius="lg" />
      )}
    </Page>
  );
}
