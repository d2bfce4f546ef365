import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="API keys">Being built.</Page>;
}
