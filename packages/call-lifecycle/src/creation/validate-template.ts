import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import { omit } from '@calls/foundation/omit';
import type { CallCreator } from './call-creator.ts';
import type { CreateCallRequest } from './create-call-request.ts';
import { invalidCall } from './refusal.ts';
import { isTemplated, templateIssues } from './templates/template-issues.ts';

/**
 * Throws a CallRefusal where no call of the account could be made from the template: it has issues (with their paths in the
 * template) or asks for what the account may not have. What only a context can tell is checked with each call.
 */
export async function validateTemplate(
  calls: CallCreator,
  account: CreateCallRequest['account'],
  template: CallTemplate,
): Promise<void> {
  const issues = await templateIssues(template, calls.checksOf(account.accountId));
  if (issues.length > 0) throw invalidCall(issues);
  const { languageHint = '' } = template;
  const untold = isTemplated(languageHint) ? ['languageHint' as const] : [];
  const request = omit(template, 'name', 'contextSchema', ...untold);
  await calls.check({ account, body: request, greetingPromptEnabled: true, isTemplate: true });
}
