import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import { omit } from '@calls/foundation/omit';
import type { CallCreator } from './call-creator.ts';
import type { CallOrder } from './call-order.ts';
import { invalidCall } from './refusal.ts';
import { isTemplated, templateFaults } from './templates/template-faults.ts';

/**
 * Throws a CallRefusal where no call of the account could be made from the template: it has faults (with their paths in the
 * template) or asks for what the account may not have. What only a context can tell is checked with each call.
 */
export async function checkTemplate(
  calls: CallCreator,
  account: CallOrder['account'],
  template: CallTemplate,
): Promise<void> {
  const faults = await templateFaults(template, calls.checksOf(account.accountId));
  if (faults.length > 0) throw invalidCall(faults);
  const { languageHint = '' } = template;
  const untold = isTemplated(languageHint) ? ['languageHint' as const] : [];
  const request = omit(template, 'name', 'contextSchema', ...untold);
  await calls.check({ account, request, greetingPromptEnabled: true, isTemplate: true });
}
