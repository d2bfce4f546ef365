import { useEffect } from 'react';

/** What the user loses by leaving a page. */
export type Loss = 'changes' | 'call';

/** The losses of the mounted components; a component may add several. */
let losses: readonly Loss[] = [];
const listeners = new Set<() => void>();

/**
 * While active, the console asks for confirmation before the page is left, and the browser before the tab is closed or
 * leaves the console.
 */
export function useLoss(loss: Loss, isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    change([...losses, loss]);
    return () => {
      removeEventListener('beforeunload', ask);
      change(losses.toSpliced(losses.indexOf(loss), 1));
    };
  }, [loss, isActive]);
}

export function currentLosses(): readonly Loss[] {
  return losses;
}

/** The `subscribe` function for useSyncExternalStore. */
export function onLosses(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(changed: readonly Loss[]): void {
  losses = changed;
  for (const listener of listeners) listener();
}
