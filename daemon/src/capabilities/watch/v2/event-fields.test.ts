import { describeEventFields } from '../event-fields.fixture.ts';
import { V2 } from '../watch-bench.fixture.ts';

describeEventFields(V2);
