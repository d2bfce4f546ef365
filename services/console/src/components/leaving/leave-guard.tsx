import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { useBlocker } from 'react-router';
import { currentLosses, onLosses } from './losses.ts';

/** Loaded when there is something to lose, because dialogs are a large part of the first script. */
const LeaveDialog = lazy(async () => ({ default: (await import('./leave-dialog.tsx')).LeaveDialog }));

/** Asks for confirmation before the user leaves a page with losses. */
export function LeaveGuard() {
  const losses = useSyncExternalStore(onLosses, currentLosses);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLosses().length > 0 && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    // The changes were saved, or the call ended, after the question.
    if (losses.length === 0) blocker.proceed?.();
  }, [losses, blocker]);
  if (losses.length === 0) return null;
  return (
    <Suspense>
      <LeaveDialog losses={losses} blocker={blocker} />
    </Suspense>
  );
}
