import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { SIGN_IN } from './session.ts';

const { fetch } = globalThis;
let status: number;

beforeEach(() => {
  globalThis.fetch = () => Promise.resolve(Response.json({ detail: 'no', code: 'no' }, { status }));
});
afterEach(() => {
  globalThis.fetch = fetch;
});

describe('signing in', () => {
  it.each([200, 401])('keeps no key in the page, whether it was taken or not (%i)', async (answer) => {
    status = answer;
    const queries = new QueryClient();
    const form = new MutationObserver(queries, SIGN_IN);
    const leave = form.subscribe(() => undefined);
    await form.mutate('abcdefgh.a-key-that-nobody-is-to-see').catch(() => undefined);
    expect(
      JSON.stringify(
        queries
          .getMutationCache()
          .getAll()
          .map(({ state }) => state),
      ),
    ).toContain('nobody');
    leave();
    // Else this never ends.
    while (queries.getMutationCache().getAll().length > 0)
      await new Promise((resolve) => setTimeout(resolve));
  });
});
