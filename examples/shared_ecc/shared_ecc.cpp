#include "shared_ecc.h"
