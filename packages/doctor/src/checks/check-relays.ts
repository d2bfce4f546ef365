import type { IceServer } from '@calls/api-contract';
import { toError } from '@calls/foundation';
import type { Findings } from '../findings.ts';
import { askStun, askTurn, readIceUrl } from '../stun/ask-turn.ts';

/** The STUN and TURN servers that calls tell browsers of. */
export async function checkRelays(iceServers: readonly IceServer[], findings: Findings): Promise<void> {
  if (iceServers.length === 0) {
    findings.skipped(
      'TURN',
      'none configured: callers whose networks let nothing but https out need one (TURN_URLS)',
    );
  }
  for (const server of iceServers) {
    for (const url of server.urls) await checkUrl(url, server, findings);
  }
}

async function checkUrl(
  url: string,
  { username, credential }: Pick<IceServer, 'username' | 'credential'>,
  findings: Findings,
): Promise<void> {
  const read = readIceUrl(url);
  try {
    if (!read) throw new Error('is no stun:, turn: or turns: URL');
    if (!read.isTurn) findings.ok(url, `sees this machine as ${await askStun(read.server)}`);
    else if (username === undefined || credential === undefined)
      throw new Error('has no user name and password');
    else findings.ok(url, `relays by ${await askTurn(read.server, username, credential)}`);
  } catch (thrown) {
    findings.fault(
      url,
      toError(thrown).message,
      'check TURN_URLS, TURN_SECRET (or TURN_USERNAME and TURN_CREDENTIAL), and that its port is open',
    );
  }
}
