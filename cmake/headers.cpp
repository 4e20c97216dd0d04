// Of targets that have nothing but precompiled headers.
