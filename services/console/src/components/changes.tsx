import type { ReactNode } from 'react';
import { useSession } from '../session/session.ts';
import classes from './changes.module.css';

export const READ_ONLY = 'Your role is viewer: you can read everything, but not change anything.';

/** Whether the role of the user allows requests that change something or start a call. */
export function useCanChange(): boolean {
  return useSession().data?.key.role !== 'viewer';
}

/** Controls that change something: for viewers, buttons and inputs are disabled with the reason, and links are hidden. */
export function Changes({ children }: { children: ReactNode }) {
  if (useCanChange()) return children;
  return (
    <fieldset disabled className={classes.disabled} title={READ_ONLY} aria-label={READ_ONLY}>
      {children}
    </fieldset>
  );
}
