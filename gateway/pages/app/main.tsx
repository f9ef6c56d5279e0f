import { render } from 'preact';
import { App } from './app.tsx';
import { restoreRoute } from './route.ts';
import { link } from './sandbox/link.ts';

const place = document.getElementById('app');
if (!place) throw new Error('the document has no place for the app');
restoreRoute();
link.start();
render(<App />, place);
performance.mark('usable');
