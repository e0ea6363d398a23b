package dev.mobilebert.demo.ui

import android.os.Build
import androidx.compose.foundation.isSystemInDarkTheme
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.darkColorScheme
import androidx.compose.material3.dynamicDarkColorScheme
import androidx.compose.material3.dynamicLightColorScheme
import androidx.compose.material3.lightColorScheme
import androidx.compose.runtime.Composable
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.platform.LocalContext

private val Light = lightColorScheme(
    primary = Color(0xFF1F5F74),
    onPrimary = Color.White,
    primaryContainer = Color(0xFFBFE9F8),
    onPrimaryContainer = Color(0xFF001F28),
    secondaryContainer = Color(0xFFCFE6EF),
    onSecondaryContainer = Color(0xFF071E26),
    tertiaryContainer = Color(0xFFFFE066),
    onTertiaryContainer = Color(0xFF221B00),
    background = Color(0xFFF6FAFC),
    surface = Color(0xFFF6FAFC),
    surfaceVariant = Color(0xFFDBE4E8),
    surfaceContainer = Color(0xFFEAF0F3),
    surfaceContainerHigh = Color(0xFFE3EAED),
)

private val Dark = darkColorScheme(
    primary = Color(0xFF8BD1EA),
    onPrimary = Color(0xFF003544),
    primaryContainer = Color(0xFF004D61),
    onPrimaryContainer = Color(0xFFBFE9F8),
    secondaryContainer = Color(0xFF344A52),
    onSecondaryContainer = Color(0xFFCFE6EF),
    tertiaryContainer = Color(0xFF6B5600),
    onTertiaryContainer = Color(0xFFFFE9A0),
    background = Color(0xFF0F1417),
    surface = Color(0xFF0F1417),
    surfaceVariant = Color(0xFF40484C),
    surfaceContainer = Color(0xFF1B2023),
    surfaceContainerHigh = Color(0xFF262B2E),
)

/** Since then there are dynamic colours. */
private const val ANDROID_12 = 31

/** Material 3: the colours of the user's wallpaper on Android 12 and newer, else the app's own. */
@Composable
fun DemoTheme(content: @Composable () -> Unit) {
    val isDark = isSystemInDarkTheme()
    val colors = if (Build.VERSION.SDK_INT >= ANDROID_12) {
        val context = LocalContext.current
        if (isDark) dynamicDarkColorScheme(context) else dynamicLightColorScheme(context)
    } else {
        if (isDark) Dark else Light
    }
    MaterialTheme(colorScheme = colors, content = content)
}
