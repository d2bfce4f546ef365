import { getEngines } from '@calls/api-contract/operations/engines.operations';
import type { Bus } from '@calls/bus/bus';
import { enginesView } from '../engines/engines-view.ts';
import type { ApiRouter } from './api-router.ts';

export interface EngineRoutesDeps {
  bus: Pick<Bus, 'workers'>;
}

export function engineRoutes(api: ApiRouter, { bus }: EngineRoutesDeps): void {
  api.on(getEngines, async () => enginesView((await bus.workers.list()).map(({ engines }) => engines)));
}
