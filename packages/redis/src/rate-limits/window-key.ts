import type { Window } from './rate-limits.ts';

/** The braces make a Redis Cluster keep all windows of a subject in one slot. */
export function windowKey(subject: string, { name, windowMs }: Window): string {
  return `limit:{${subject}}:${name}:${windowMs}`;
}
