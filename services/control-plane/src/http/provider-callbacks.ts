import express, { type Request, type RequestHandler, type Router } from 'express';
import { limitBodySize } from './body-parsers.ts';
import { onlyMethods } from './route-guards.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** Adds endpoints, by path, that a telephony provider requests by GET or POST. */
export function addCallbackRoutes(router: Router, handlers: Readonly<Record<string, RequestHandler>>): void {
  const body = [limitBodySize(MAX_BODY_BYTES), express.raw({ limit: MAX_BODY_BYTES, type: () => true })];
  for (const [path, handler] of Object.entries(handlers)) {
    router
      .route(path)
      .get(handler)
      .post(...body, handler)
      .all(onlyMethods('GET', 'POST'));
  }
}

/** Fields from the query, a form or JSON; empty if the body cannot be parsed. */
export function callbackFields(request: Request): Record<string, unknown> {
  const bytes = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  const said = request.is('application/json')
    ? parsed(bytes)
    : Object.fromEntries(new URLSearchParams(bytes));
  return { ...request.query, ...said };
}

function parsed(text: string): object {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null ? said : {};
  } catch {
    return {};
  }
}
