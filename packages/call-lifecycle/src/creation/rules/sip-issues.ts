import type { Issue } from '@calls/api-contract/validation/validator';
import { isSipHost, isSipUser, isTelUri } from '../sip-address.ts';
import { valueAt } from './values-at.ts';

const OUTGOING = 'medium.sip.outgoing';

/** Checks the addresses of an outgoing call by SIP. */
export function sipIssues(request: unknown): Issue[] {
  const [to, from] = [valueAt(request, `${OUTGOING}.to`), valueAt(request, `${OUTGOING}.from`)];
  if (typeof to !== 'string' || typeof from !== 'string') return [];
  const issues: Issue[] = [];
  if (!isSipHost(to) && !isTelUri(to)) {
    issues.push({
      path: `${OUTGOING}.to`,
      message: 'must be a SIP address such as sip:desk@example.com, or a tel: URI',
    });
  }
  if (!isSipHost(from) && !(isSipUser(from) && !isTelUri(to))) {
    const message = isTelUri(to)
      ? 'must be a SIP address such as sip:+4930123456@example.com; the number is dialed at its host'
      : 'must be a SIP address such as sip:+4930123456@example.com, or its user alone';
    issues.push({ path: `${OUTGOING}.from`, message });
  }
  return issues;
}
