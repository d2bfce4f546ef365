import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="New agent">Being built.</Page>;
}
