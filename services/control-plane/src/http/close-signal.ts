import type { Response } from 'express';
import { HttpProblem } from '../problems/problem.ts';

/** Aborts when the client closes the connection before it has the response. */
export function closeSignal(response: Response): AbortSignal {
  const abort = new AbortController();
  const onClose = (): void => {
    if (response.writableFinished) return;
    abort.abort(new HttpProblem(499, 'client_closed', 'The client closed the connection.'));
  };
  if (response.closed) onClose();
  else response.once('close', onClose);
  return abort.signal;
}
