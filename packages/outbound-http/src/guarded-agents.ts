import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.ts';
import { OutboundRefusal, type RefusalRule } from './outbound-error.ts';

/**
 * Below the 5 s after which many servers close idle connections, so that a connection is not reused while it closes.
 */
const IDLE_LIMIT_MS = 4000;
const MAX_IDLE_PER_ORIGIN = 8;
const MAX_IDLE_SOCKETS = 256;

/**
 * How long a connection attempt takes before Node gives it up for the next address of the name. A packet that is lost is
 * sent again after 1 s.
 */
const ATTEMPT_LIMIT_MS = 1500;

const OPTIONS: AgentOptions = {
  keepAlive: true,
  timeout: IDLE_LIMIT_MS,
  autoSelectFamilyAttemptTimeout: ATTEMPT_LIMIT_MS,
  maxFreeSockets: MAX_IDLE_PER_ORIGIN,
  scheduling: 'lifo',
};

export interface GuardedAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** HTTP agents whose sockets never connect to forbidden addresses, whatever the URL of the request. */
export function createGuardedAgents(guard: AddressGuard, lookup: LookupFunction): GuardedAgents {
  return {
    http: guarded(new HttpAgent(OPTIONS), guard, lookup),
    https: guarded(new HttpsAgent(OPTIONS), guard, lookup),
  };
}

type CreateConnection = HttpAgent['createConnection'];

function guarded<A extends HttpAgent>(agent: A, guard: AddressGuard, lookup: LookupFunction): A {
  const connect: CreateConnection = agent.createConnection.bind(agent);
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  agent.createConnection = (options, callback) => {
    const host = options.host ?? '';
    // Sockets only look up names. A forbidden literal address fails like a failed look-up.
    const rule = isIP(host) === 0 ? null : guard.refusalOf(host);
    const guardedOptions =
      rule === null
        ? { ...options, lookup }
        : { ...options, host: 'refused.invalid', lookup: refusing(rule) };
    return connect(guardedOptions, callback);
  };
  agent.keepSocketAlive = (socket): boolean =>
    idleSockets(agent) < MAX_IDLE_SOCKETS && keep(socket) !== false;
  return agent;
}

function refusing(rule: RefusalRule): LookupFunction {
  return (_hostname, _options, callback) => {
    process.nextTick(() => callback(new OutboundRefusal(rule), []));
  };
}

function idleSockets(agent: HttpAgent): number {
  return Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}
