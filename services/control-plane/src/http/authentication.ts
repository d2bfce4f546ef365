import type { KeyHolder } from '@calls/store';
import type { RequestHandler, Response } from 'express';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { unauthorized } from './problem.ts';

const holders = new WeakMap<Response, KeyHolder>();

/** Lets requests with a valid key through; which of the reasons keeps one out is not told. */
export function authentication(authenticator: KeyAuthenticator): RequestHandler {
  return async (request, response, next) => {
    const key = request.get('X-API-Key') ?? request.get('X-Unsafe-API-Key');
    const holder = key === undefined ? null : await authenticator.authenticate(key);
    if (!holder) throw unauthorized();
    holders.set(response, holder);
    next();
  };
}

export function holderOrNull(response: Response): KeyHolder | null {
  return holders.get(response) ?? null;
}

/** Whose request it is; only behind `authentication`. */
export function holderOf(response: Response): KeyHolder {
  const holder = holders.get(response);
  if (!holder) throw new Error('the route is not behind authentication');
  return holder;
}
