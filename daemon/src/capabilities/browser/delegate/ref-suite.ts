import { type Acted, type ClickTerms, click } from '../element/click.ts';
import { type Filled, type FillTerms, fill } from '../element/fill.ts';
import type { Target } from '../element/find-element.ts';
import type { Point } from '../element/point.ts';
import { type Uploaded, type UploadTerms, upload } from '../element/upload.ts';
import type { Outcome } from '../page/outcome.ts';
import type { Snapshot, SnapshotTerms } from '../snapshot/snapshot.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import type { Tab } from '../tabs/tab.ts';

/** What reads a page as text with references, and acts on them. */
export interface RefSuite extends Partial<AsyncDisposable> {
  snapshot(tab: Tab, terms: SnapshotTerms): Promise<Snapshot>;
  click(tab: Tab, to: Target | Point, terms: ClickTerms): Promise<Outcome<Acted>>;
  fill(tab: Tab, target: Target, terms: FillTerms): Promise<Outcome<Filled>>;
  upload(tab: Tab, target: Target, terms: UploadTerms): Promise<Outcome<Uploaded>>;
}

/** The daemon's own, over its connection to the browser. */
export const BUILT_IN: RefSuite = { snapshot: takeSnapshot, click, fill, upload };
