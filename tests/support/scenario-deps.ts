import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { VIRTUAL_EPOCH_MS } from '@calls/foundation/virtual-clock';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { textMode } from '@calls/simulation/call/modes';
import { openEngines } from '@calls/simulation/engines';
import type { ScenarioDeps } from '@calls/simulation/run-scenario';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';

/** Runs scenarios in text, with the embedded model. */
export function scenarioDeps(): ScenarioDeps {
  const config = readProviderConfig(new EnvReader({}));
  const engines = openEngines(config, { clock: systemClock, log: silentLogger });
  return {
    accountId: 'test',
    mode: textMode,
    languageModel: (clock, work) => engines.languageModel(clock, work),
    callerModel: null,
    urls: { assertAllowedUrl: (url) => new URL(url) },
    mcpTools: { toolsOf: () => Promise.resolve([]) },
    checksOf: inProcessChecksOf,
    wallMs: VIRTUAL_EPOCH_MS,
    log: silentLogger,
  };
}
