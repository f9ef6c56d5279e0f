import { describeEventFields } from '../event-fields.fixture.ts';
import { V1 } from './surface.fixture.ts';

describeEventFields(V1);
