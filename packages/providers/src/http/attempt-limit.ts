import type { TcpSocketConnectOpts } from 'node:net';

/**
 * Socket option: half of the time limit for a connection is for the first address of the host. Node gives up each attempt
 * but the last after 250 ms by default, even if the other addresses cannot be reached, as those of IPv6 in many networks.
 */
export function attemptLimit(
  connectTimeoutMs: number,
): Pick<TcpSocketConnectOpts, 'autoSelectFamilyAttemptTimeout'> {
  return { autoSelectFamilyAttemptTimeout: Math.ceil(connectTimeoutMs / 2) };
}
