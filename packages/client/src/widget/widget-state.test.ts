import { expect, it } from '@jest/globals';
import { statusText } from './widget-state.ts';

it.each(['invalid_join_url', 'bad_token', 'unknown_call', 'wrong_medium', 'connection_blocked'] as const)(
  'the widget does not tell the visitor to check the network when the site causes %s',
  (code) => {
    expect(statusText({ phase: 'failed', code }, false)).toBe('notCreated');
  },
);
