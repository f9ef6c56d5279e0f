#include "figures.h"

struct figures figures;
